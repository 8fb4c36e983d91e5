import { Links } from '../../components/links'
import { State } from '../../components/state'

export const getStaticPaths = async () => ({ paths: [], fallback: true })

export const getStaticProps = async () => ({ notFound: true })

export default function Page(props: object) {
  return (
    <>
      <State props={props} />
      <Links />
    </>
  )
}
