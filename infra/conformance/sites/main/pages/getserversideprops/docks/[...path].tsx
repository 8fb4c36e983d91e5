import { State } from '../../../components/state'

export const getServerSideProps = async ({ params }: { params: object }) => ({ props: { params } })

export default function Dock({ params }: { params: object }) {
  return <State props={params} />
}
