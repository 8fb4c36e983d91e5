import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [{ params: { path: undefined } }], fallback: false })
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function WithoutParameter({ params }: { params?: object }) {
  return <State props={params} />
}
