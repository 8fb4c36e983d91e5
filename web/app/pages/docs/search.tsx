// Search in the documentation. The address has the query; the index stays on the server.

import type { GetServerSideProps, PageProps } from 'portico'
import { DocsHits, moveBetweenHits } from '../../components/docs/docs-hits.tsx'
import { DocsMenu } from '../../components/docs/docs-menu.tsx'
import { SearchForm } from '../../components/docs/search-form.tsx'
import { PageHead } from '../../components/frame/page-head.tsx'
import { listDocGroups, searchDocs } from '../../lib/docs/docs.ts'
import { MOST_HITS } from '../../lib/docs/docs-search.ts'
import { QUERY_LIMIT } from '../../lib/docs/search.ts'
import css from '../../styles/docs.module.css'

export const getServerSideProps = (async ({ query }) => {
  const searched = typeof query.q === 'string' ? query.q.trim().slice(0, QUERY_LIMIT) : ''
  return { props: { searched, hits: searchDocs(searched), groups: listDocGroups() } }
}) satisfies GetServerSideProps

export default function DocsSearch({ searched, hits, groups }: PageProps<typeof getServerSideProps>) {
  return (
    <div className={`wrap ${css.columns}`}>
      <PageHead
        title={searched ? `Search the docs: ${searched}` : 'Search the docs'}
        description="Search the documentation of Portico."
        isHidden
      />
      <DocsMenu groups={groups} current="/docs/search" />
      <article className={css.article}>
        <header className={css.header}>
          <h1>Search the docs</h1>
        </header>
        <SearchForm
          at="/docs/search"
          label="Search the docs"
          placeholder="cookies, revalidate, --scale"
          searched={searched}
          onKeyDown={moveBetweenHits}
        />
        <p role="status" className={css.status}>
          {searched ? countOf(hits.length, searched) : 'A word of a heading or of the text, a function, a setting.'}
        </p>
        {hits.length > 0 ? <DocsHits hits={hits} /> : null}
      </article>
    </div>
  )
}

function countOf(count: number, searched: string): string {
  if (count === 0) return `Nothing in the documentation mentions “${searched}”.`
  if (count === MOST_HITS) return `The first ${count} sections that mention “${searched}”; one more word finds fewer.`
  return count === 1 ? `One section mentions “${searched}”.` : `${count} sections mention “${searched}”.`
}
