import { appears } from '../../../components/not-found-revalidate/appears'
import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [{ params: { name: 'listed' } }], fallback: 'blocking' })

export const getStaticProps = appears('begins')

export default function Begins(props: object) {
  return <State props={props} />
}
