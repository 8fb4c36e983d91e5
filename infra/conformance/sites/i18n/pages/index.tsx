import { Links } from '../components/links'
import { State } from '../components/state'

export default function Page(props: object) {
  return (
    <>
      <State props={props} />
      <Links />
    </>
  )
}
