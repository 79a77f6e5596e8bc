import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '../../src');

/** What users see of a declaration: no bodies, no private members, nothing that is marked as internal. */
function visibleTypes(node: ts.Node): ts.Node[] {
  const isHidden =
    ts.isBlock(node) ||
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal') ||
    (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name));
  if (isHidden) return [];
  if (ts.isTypeReferenceNode(node)) return [node.typeName, ...children(node)];
  if (ts.isExpressionWithTypeArguments(node)) return [node.expression, ...children(node)];
  // Of a property, a parameter or a constant its type alone: what it begins with is nobody's business.
  if (ts.isPropertyDeclaration(node) || ts.isParameter(node) || ts.isVariableDeclaration(node))
    return node.type === undefined ? [] : visibleTypes(node.type);
  return children(node);
}

function children(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  ts.forEachChild(node, (child) => void found.push(...visibleTypes(child)));
  return found;
}

it('a type that stands in a public signature can be imported', () => {
  const entry = join(src, 'index.ts');
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const entryModule = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
  const exported = new Set(checker.getExportsOfModule(entryModule).map(resolved));
  const isOwn = (node: ts.Node) => node.getSourceFile().fileName.startsWith(src);

  const missing = new Set<string>();
  for (const owner of exported) {
    for (const node of (owner.declarations ?? []).filter(isOwn).flatMap(visibleTypes)) {
      const found = checker.getSymbolAtLocation(node);
      const symbol = found && resolved(found);
      const declaration = symbol?.declarations?.[0];
      if (symbol === undefined || declaration === undefined || exported.has(symbol)) continue;
      // An alias that its file keeps to itself is only an abbreviation there.
      const isExported = ts.canHaveModifiers(declaration)
        ? ts.getModifiers(declaration)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
        : false;
      if (isOwn(declaration) && isExported === true) missing.add(`${symbol.name}, of ${owner.name}`);
    }
  }
  expect(exported.size).toBeGreaterThan(80);
  expect([...missing]).toEqual([]);
});
