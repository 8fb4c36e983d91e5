import Link from 'next/link'
import { State } from '../../components/state'

const at = '/dynamic-routing'

export default function Library() {
  return (
    <main>
      <h1>Library</h1>
      <State />
      <Link id="as" href={`${at}/[shelf]`} as={`${at}/maps`}>
        maps
      </Link>
      <Link id="plain" href={`${at}/maps`}>
        maps
      </Link>
      <Link id="object" href={{ pathname: `${at}/[shelf]`, query: { shelf: 'maps' } }}>
        maps
      </Link>
      <Link id="object-more" href={{ pathname: `${at}/[shelf]`, query: { shelf: 'maps', year: '1890' } }}>
        maps of 1890
      </Link>
    </main>
  )
}
