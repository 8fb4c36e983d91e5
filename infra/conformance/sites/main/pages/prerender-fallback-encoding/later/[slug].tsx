import { useRouter } from 'next/router'
import { dataOfSlug, pathsOf } from '../../../components/prerender-fallback-encoding/slugs'
import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: pathsOf('later'), fallback: true })

export const getStaticProps = dataOfSlug

export default function Page(props: object) {
  return useRouter().isFallback ? 'No data yet' : <State props={props} />
}
