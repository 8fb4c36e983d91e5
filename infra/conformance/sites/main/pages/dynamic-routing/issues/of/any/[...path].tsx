import { State } from '../../../../../components/state'

export const getStaticPaths = () => ({ paths: [], fallback: true })
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function AnyIssue({ params }: { params?: object }) {
  return <State props={params} />
}
