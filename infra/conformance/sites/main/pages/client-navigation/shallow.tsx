import Link from 'next/link'
import Router, { useRouter } from 'next/router'
import { Rows } from '../../components/client-navigation/rows'
import { State } from '../../components/state'

let runs = 0

export const getServerSideProps = async () => ({ props: { run: ++runs } })

const at = '/client-navigation/shallow'

export default function Shallow({ run }: { run: number }) {
  const count = Number(useRouter().query.count ?? 0)
  const href = `${at}?count=${count + 1}`
  return (
    <main id="shallow-page">
      <State props={{ run, count }} />
      <Link id="harbour-link" href="/client-navigation">
        harbour
      </Link>
      <Rows />
      <button id="more" type="button" onClick={() => void Router.push(href, href, { shallow: true })}>
        more
      </button>
      <button id="more-top" type="button" onClick={() => void Router.push(href, href, { shallow: true, scroll: true })}>
        more
      </button>
      <button id="more-data" type="button" onClick={() => void Router.push(href)}>
        more
      </button>
      <button
        id="elsewhere"
        type="button"
        onClick={() => void Router.push('/client-navigation/arrival', undefined, { shallow: true })}
      >
        elsewhere
      </button>
    </main>
  )
}
