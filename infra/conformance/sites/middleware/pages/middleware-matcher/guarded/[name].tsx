import { GuardedLinks } from '../../../components/guarded-links'

export const getServerSideProps = ({ params }: { params: object }) => ({ props: { params } })

export default function GuardedPage(props: object) {
  return <GuardedLinks title="Guarded page" props={props} />
}
