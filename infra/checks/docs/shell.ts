// Reads the shell lines of the documentation: words, quotes, pipes and joined commands, nothing a reader would not type.

export interface Command {
  /** Line within the block, from 0. */
  line: number
  /** `NAME=value` in front of the program; alone they set a variable. */
  variables: string[]
  /** The program and what it is given; redirections are left out. */
  words: string[]
}

/** A word, or an operator between commands. */
const TOKEN = /\s*(?:(#.*$)|(&&|\|\||[|;]|[12]?>>?&?[12]?|<)|((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'|;<>&\\])+))/y

/** The commands of a block, those within `$(…)` too. Throws for other texts. */
export function readCommands(text: string): Command[] {
  const commands: Command[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = at
    let joined = lines[at] ?? ''
    while (joined.endsWith('\\')) joined = `${joined.slice(0, -1)} ${(lines[++at] ?? '').trim()}`
    commands.push(...readLine(joined, line))
  }
  return commands
}

function readLine(text: string, line: number): Command[] {
  const inner: Command[] = []
  const outer = text.replace(/\$\(([^()]*)\)/g, (_whole, command: string) => {
    inner.push(...readLine(command, line))
    return '$_'
  })
  const groups: string[][] = [[]]
  let isTarget = false
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < outer.trimEnd().length) {
    const match = TOKEN.exec(outer)
    if (!match) throw new Error('is not a shell line that this check can read')
    const [, , operator, word] = match
    if (operator !== undefined && /[<>]/.test(operator)) isTarget = !/&[12]$/.test(operator)
    else if (operator !== undefined) groups.push([])
    else if (word !== undefined) {
      if (!isTarget) groups.at(-1)?.push(unquote(word))
      isTarget = false
    }
  }
  return [...inner, ...groups.filter((words) => words.length > 0).map((words) => toCommand(words, line))]
}

function toCommand(words: string[], line: number): Command {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  const end = first < 0 ? words.length : first
  return { line, variables: words.slice(0, end), words: words.slice(end) }
}

function unquote(word: string): string {
  return word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_whole, double, single, escaped) =>
    String(double ?? single ?? escaped),
  )
}
