import { useRouter } from 'next/router'
import { State } from '../../components/state'

declare global {
  interface Window {
    /** The query of the first render. */
    firstQuery?: object
  }
}

export const getStaticPaths = () => ({ paths: [], fallback: true })

export const getStaticProps = async () => {
  await new Promise((done) => setTimeout(done, 200))
  return { props: { isMade: true } }
}

export default function Name(props: object) {
  const { isFallback, query } = useRouter()
  if (typeof window !== 'undefined') window.firstQuery ??= query
  return isFallback ? <p>No data yet</p> : <State props={props} />
}
