import { GuardedLinks } from '../components/guarded-links'

export const getStaticProps = () => ({ props: { text: 'root' } })

export default function Root(props: object) {
  return <GuardedLinks title="Root" props={props} />
}
