import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [{ params: { path: null } }], fallback: false })
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function WithNull({ params }: { params?: object }) {
  return <State props={params} />
}
