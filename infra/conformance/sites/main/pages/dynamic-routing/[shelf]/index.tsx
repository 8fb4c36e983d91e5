import { useRouter } from 'next/router'
import { Links } from '../../../components/links'
import { State } from '../../../components/state'

export const getServerSideProps = async () => ({ props: {} })

export default function Shelf() {
  return (
    <main>
      <h1>Shelf {useRouter().query.shelf}</h1>
      <State />
      <Links
        to={{
          fragment: { href: '#labels' },
          'fragment-object': { href: { hash: 'bottom' } },
          query: { href: '?shelf=novels' },
          'query-more': { href: '?shelf=letters&year=1890' },
          'query-object': { href: { query: { shelf: 'music' } } },
          'query-object-more': { href: { query: { shelf: 'prints', year: '1890' } } },
          'query-fragment': { href: '?shelf=novels#labels' },
          'query-more-fragment': { href: '?shelf=letters&year=1890#bottom' },
          'query-object-fragment': { href: { query: { shelf: 'music' }, hash: 'labels' } },
          'query-object-more-fragment': { href: { query: { shelf: 'prints', year: '1890' }, hash: 'bottom' } },
        }}
      />
    </main>
  )
}
