import { State } from '../../components/state'
import { inlined, values } from '../../lib/values'

export default function Values({ found }: { found: object }) {
  return <State props={{ found, inlined: inlined() }} />
}

export async function getStaticProps() {
  return { props: { found: values() } }
}
