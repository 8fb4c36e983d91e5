import { Links } from '../../components/links'
import { State } from '../../components/state'

const href = '/link-with-encoding/[name]'
const linkTo = (name: string) => ({ href, as: `/link-with-encoding/${name}` })

/** Links to names that are encoded in each way that a page may use. */
export default function Names() {
  return (
    <>
      <State />
      <Links
        to={{
          spaces: linkTo(encodeURI('two words ')),
          percent: linkTo(encodeURI('half%full')),
          slash: linkTo(`one${encodeURIComponent('/')}two`),
          quote: linkTo(`one${encodeURIComponent('"')}two`),
          colon: linkTo(`one${encodeURIComponent(':')}two`),
          address: { href: '/link-with-encoding/query?of=http://example.com/' },
        }}
      />
    </>
  )
}
