import { GuardedLinks } from '../../../components/guarded-links'

export const getServerSideProps = () => ({ props: { text: 'guarded' } })

export default function Guarded(props: object) {
  return <GuardedLinks title="Guarded" props={props} />
}
