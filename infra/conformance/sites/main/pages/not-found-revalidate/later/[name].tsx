import { useRouter } from 'next/router'
import { appears } from '../../../components/not-found-revalidate/appears'
import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [], fallback: true })

export const getStaticProps = appears('later')

export default function Later(props: object) {
  return useRouter().isFallback ? 'No data yet' : <State props={props} />
}
