import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [{ params: { path: false } }], fallback: false })
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function WithFalse({ params }: { params?: object }) {
  return <State props={params} />
}
