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
  // Portico sends a page that is ready before its shell.
  await new Promise((done) => setTimeout(done, 1000))
  return { props: { isMade: true } }
}

export default function Name(props: object) {
  const { isFallback, query } = useRouter()
  if (typeof window !== 'undefined') window.firstQuery ??= query
  return isFallback ? <p>No data yet</p> : <State props={props} />
}
