import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [{ params: { id: '1' } }, { params: { id: '2' } }], fallback: false })

export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Page(props: object) {
  return <State props={props} />
}
