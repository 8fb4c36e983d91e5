// Search. The address holds the query, so results can be linked and reloaded, and the back button works; the form is a
// plain GET.

import type { GetServerSideProps, PageProps } from 'portico'
import { Link } from 'portico'
import { SearchForm } from '../components/docs/search-form.tsx'
import { PageHead } from '../components/frame/page-head.tsx'
import { PageTitle } from '../components/frame/page-title.tsx'
import { Plate } from '../components/places/plate.tsx'
import { QUERY_LIMIT, searchPlaces } from '../lib/docs/search.ts'
import { listPlaces, toCard } from '../lib/places/places.ts'
import css from '../styles/search.module.css'

const SUGGESTIONS = ['fog', 'kettle', 'boat', 'desert', 'night', 'mountain']

export const getServerSideProps = (async ({ query }) => {
  const searched = typeof query.q === 'string' ? query.q.trim().slice(0, QUERY_LIMIT) : ''
  return { props: { searched, results: searchPlaces(listPlaces(), searched).map(toCard) } }
}) satisfies GetServerSideProps

export default function Search({ searched, results }: PageProps<typeof getServerSideProps>) {
  return (
    <div className="wrap">
      <PageHead
        title={searched ? `Search: ${searched}` : 'Search'}
        description="Search the plates of the atlas."
        isHidden
      />
      <PageTitle title="Search" />
      <SearchForm at="/search" label="Search the atlas" placeholder="Fog, tea, Skarnvik" searched={searched} />
      <p role="status" className={css.status}>
        {searched
          ? countOf(results.length, searched)
          : 'A name, a region, a kind of landscape, or something in the story.'}
      </p>
      {results.length > 0 ? (
        <div className={css.results}>
          {results.map((place) => (
            <Plate
              key={place.slug}
              place={place}
              heading="h2"
              sizes="(min-width: 90rem) 30rem, (min-width: 64rem) 35vw, (min-width: 40rem) 53vw, calc(120vw - 3rem)"
            />
          ))}
        </div>
      ) : (
        <ul className={css.suggestions} aria-label="Words to try">
          {SUGGESTIONS.map((word) => (
            <li key={word}>
              <Link href={`/search?q=${word}`} prefetch="intent">
                {word}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function countOf(count: number, searched: string): string {
  if (count === 0) return `No plate mentions “${searched}”. That is no proof that it does not exist.`
  return `${count === 1 ? 'One plate mentions' : `${count} plates mention`} “${searched}”.`
}
