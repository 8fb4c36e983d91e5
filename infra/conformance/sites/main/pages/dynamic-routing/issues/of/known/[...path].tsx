import { State } from '../../../../../components/state'

const KNOWN = ['1890', '1890/june']

export const getStaticPaths = () => ({
  paths: KNOWN.map((path) => `/dynamic-routing/issues/of/known/${path}`),
  fallback: true,
})
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function KnownIssue({ params }: { params?: object }) {
  return <State props={params} />
}
