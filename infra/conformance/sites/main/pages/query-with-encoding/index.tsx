import type { GetServerSidePropsContext } from 'next'
import { Links } from '../../components/links'
import { State } from '../../components/state'

const pathname = '/query-with-encoding'

export const getServerSideProps = async ({ query }: GetServerSidePropsContext) => ({ props: { query } })

/** Links to this page with other values in its query. */
export default function Query(props: object) {
  return (
    <>
      <State props={props} />
      <Links
        to={{
          'line-text': { href: `${pathname}?text=end%0A` },
          'line-object': { href: { pathname, query: { value: 'end\n' } } },
          'space-text': { href: `${pathname}?text=end%20` },
          'space-object': { href: { pathname, query: { value: 'end ' } } },
          'percent-text': { href: `${pathname}?text=end%25` },
          'percent-object': { href: { pathname, query: { value: 'end%' } } },
          'plus-text': { href: `${pathname}?text=end%2B` },
          'plus-object': { href: { pathname, query: { value: 'end+' } } },
        }}
      />
    </>
  )
}
