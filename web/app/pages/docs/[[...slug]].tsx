// The documentation, one Markdown file per page.

import type { GetStaticPaths, GetStaticProps, PageProps } from 'portico'
import { DocsMenu, DocsPager } from '../../components/docs/docs-menu.tsx'
import { RequestJourney } from '../../components/docs/request-journey.tsx'
import { PageHead } from '../../components/frame/page-head.tsx'
import { findDoc, listDocGroups, listDocs } from '../../lib/docs/docs.ts'
import css from '../../styles/docs.module.css'
import proseCss from '../../styles/docs-prose.module.css'

export const getStaticPaths = (async () => ({
  paths: listDocs().map(({ href }) => href),
  fallback: 'blocking',
})) satisfies GetStaticPaths

export const getStaticProps = (async ({ params }) => {
  const segments = Array.isArray(params.slug) ? params.slug : []
  const found = findDoc(['/docs', ...segments].join('/'))
  if (!found) return { notFound: true }
  return { props: { ...found, groups: listDocGroups() } }
}) satisfies GetStaticProps

export default function Docs({ page, previous, next, groups }: PageProps<typeof getStaticProps>) {
  return (
    <div className={`wrap ${css.columns}`}>
      <PageHead title={`${page.title} · Docs`} description={page.description} />
      <DocsMenu groups={groups} current={page.href} />
      <article className={css.article}>
        <header className={css.header}>
          <h1>{page.title}</h1>
          <p className={css.lede}>{page.description}</p>
        </header>
        {page.figure === 'request-journey' ? <RequestJourney /> : null}
        {/* HTML that the build made from the Markdown of this repository. */}
        <div className={proseCss.prose} dangerouslySetInnerHTML={{ __html: page.html }} />
        <DocsPager previous={previous} next={next} />
      </article>
      {page.headings.length > 1 ? (
        <nav className={css.contents} aria-labelledby="on-this-page">
          <h2 id="on-this-page" className="label">
            On this page
          </h2>
          <ul>
            {page.headings.map(({ id, text, depth }) => (
              <li key={id} data-depth={depth}>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
    </div>
  )
}
