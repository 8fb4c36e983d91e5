import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/rewrites-has-condition'

export default function Start() {
  return (
    <>
      <State />
      <Links to={{ plain: { href: `${at}/plain` }, 'with-query': { href: `${at}/with-query?kind=any` } }} />
    </>
  )
}
