import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const paint = (style: Style, text: string) => (colours ? styleText(style, text) : text);

/** Prints the demo's story, and remembers whether all of it came true. */
export class Transcript {
  #chapters = 0;
  #mismatches = 0;

  get mismatches(): number {
    return this.#mismatches;
  }

  title(text: string): void {
    console.log(`\n${paint('bold', text)}`);
  }

  chapter(title: string): void {
    this.#chapters += 1;
    console.log(`\n${paint(['bold', 'cyan'], `${this.#chapters}  ${title}`)}`);
  }

  you(text: string): void {
    console.log(`   ${paint('bold', 'you  ')}  ${text}`);
  }

  agent(text: string): void {
    const lines = text.trim() === '' ? ['(nothing)'] : text.trim().split('\n');
    lines.forEach((line, index) =>
      console.log(`   ${index === 0 ? paint(['bold', 'green'], 'agent') : '     '}  ${line}`),
    );
  }

  note(text: string): void {
    console.log(`   ${paint('dim', text)}`);
  }

  fact(label: string, value: string): void {
    console.log(`   ${paint('dim', label.padEnd(9))} ${value}`);
  }

  /** A statement that must be true. */
  check(holds: boolean, statement: string): void {
    if (!holds) this.#mismatches += 1;
    console.log(`   ${holds ? paint('green', '✓') : paint('red', '✗')} ${statement}`);
  }

  /** What an agent did that it may well do. */
  remark(statement: string): void {
    console.log(`   ${paint('yellow', '•')} ${statement}`);
  }
}
