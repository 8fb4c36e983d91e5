// A note: /notes/pages is content/notes/pages.md.

import { type GetStaticPaths, type GetStaticProps, Link, type PageProps, publicEnv } from 'portico'
import { findNote, listNotes } from '../../lib/notes.ts'

export const getStaticPaths = (() => ({
  paths: listNotes().map(({ slug }) => `/notes/${slug}`),
  fallback: false,
})) satisfies GetStaticPaths

export const getStaticProps = (({ params }) => {
  const found = findNote(params.slug)
  return found ? { props: found } : { notFound: true }
}) satisfies GetStaticProps

export default function NotePage({ note, next }: PageProps<typeof getStaticProps>) {
  return (
    <article>
      <title>{`${note.title} · ${publicEnv('SITE_NAME')}`}</title>
      <meta name="description" content={note.summary} />
      <h1>{note.title}</h1>
      <p className="lede">{note.summary}</p>
      {/* Our own Markdown, made into HTML by the build. */}
      <div className="prose" dangerouslySetInnerHTML={{ __html: note.html }} />
      <p className="next">
        Next: <Link href={`/notes/${next.slug}`}>{next.title}</Link>
      </p>
    </article>
  )
}
