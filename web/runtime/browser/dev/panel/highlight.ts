// Colours one line of code: keywords, strings and comments. A single line does not show more of the syntax.

import { element } from './element.ts'

const PIECE =
  /(\/\/.*$|\/\*.*?\*\/)|('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)|\b(import|export|from|default|const|let|var|function|return|async|await|if|else|for|of|in|while|switch|case|throw|new|try|catch|finally|class|extends|type|interface|typeof|null|undefined|true|false)\b/g

/** Returns nodes that show the text. */
export function highlight(text: string): Node[] {
  const nodes: Node[] = []
  let shown = 0
  for (const match of text.matchAll(PIECE)) {
    const [whole, comment, quoted] = match
    nodes.push(new Text(text.slice(shown, match.index)))
    nodes.push(element('span', { class: comment ? 'comment' : quoted ? 'quoted' : 'word' }, whole))
    shown = match.index + whole.length
  }
  return [...nodes, new Text(text.slice(shown))]
}
