// The notes: Markdown files in content/notes. Only data functions import this file: no browser receives every note.

interface MarkdownFile {
  attributes: Record<string, unknown>
  html: string
}

interface NoteLink {
  slug: string
  title: string
  summary: string
}

interface Note extends NoteLink {
  html: string
}

const files = import.meta.glob<{ default: MarkdownFile }>('../content/notes/*.md', { eager: true })

const notes: Note[] = Object.entries(files)
  .sort(([, left], [, right]) => orderOf(left.default) - orderOf(right.default))
  .map(([file, { default: page }]) => toNote(file.slice(file.lastIndexOf('/') + 1, -'.md'.length), page))

/** Notes without an order are last, sorted by name. */
function orderOf({ attributes }: MarkdownFile): number {
  return Number(attributes.order ?? Number.MAX_SAFE_INTEGER)
}

function toNote(slug: string, { attributes, html }: MarkdownFile): Note {
  return { slug, title: String(attributes.title ?? slug), summary: String(attributes.summary ?? ''), html }
}

export function listNotes(): NoteLink[] {
  return notes.map(({ slug, title, summary }) => ({ slug, title, summary }))
}

/** A note and the one that follows it, the first after the last. */
export function findNote(slug: unknown): { note: Note; next: NoteLink } | undefined {
  const at = notes.findIndex((note) => note.slug === slug)
  const note = notes[at]
  const next = listNotes()[(at + 1) % notes.length]
  return note && next && { note, next }
}
