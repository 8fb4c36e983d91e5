// The first page: the same for all visitors, rendered once and cached.

import { type GetStaticProps, Image, Link, type PageProps, publicEnv } from 'portico'
import { listNotes } from '../lib/notes.ts'
import morning from '../pictures/morning.jpg'

export const getStaticProps = (() => ({ props: { notes: listNotes() } })) satisfies GetStaticProps

export default function Home({ notes }: PageProps<typeof getStaticProps>) {
  return (
    <>
      <title>{publicEnv('SITE_NAME')}</title>
      <meta name="description" content="A small site to begin with: notes, a picture and a guestbook." />
      <h1>A small site, and all of it is yours.</h1>
      <p className="lede">
        You are reading <code>pages/index.tsx</code>. Run <code>npm run dev</code>, change this line, save it, and look
        here again.
      </p>
      <Image
        className="hero"
        src={morning}
        alt="Hills behind hills in the mist, and a low sun"
        sizes="(min-width: 68rem) 62rem, 100vw"
        priority
        placeholder="blur"
      />
      <section aria-labelledby="notes">
        <h2 id="notes">A few notes to begin with</h2>
        <ul className="notes">
          {notes.map(({ slug, title, summary }) => (
            <li key={slug}>
              <h3>
                <Link href={`/notes/${slug}`}>{title}</Link>
              </h3>
              <p>{summary}</p>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="guestbook">
        <h2 id="guestbook">And a book for your visitors</h2>
        <p>A form, an action, a handler and a small database, in a few short files.</p>
        <Link className="button" href="/guestbook">
          Sign the guestbook
        </Link>
      </section>
    </>
  )
}
