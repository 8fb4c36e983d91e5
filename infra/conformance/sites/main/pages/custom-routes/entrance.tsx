import Link from 'next/link'
import { State } from '../../components/state'

const AT = '/custom-routes'

export default function Entrance() {
  return (
    <>
      <h1>Entrance</h1>
      <Link id="one" href={`${AT}/garden`} as={`${AT}/one`}>
        One
      </Link>
      <Link id="two" href={`${AT}/terrace`} as={`${AT}/two`}>
        Two
      </Link>
      <Link
        id="as"
        href={{ pathname: `${AT}/hall`, query: { one: 7, colour: 'red' } }}
        as={`${AT}/changed/7?colour=red`}
      >
        A page and its address
      </Link>
      <Link id="href" href={`${AT}/changed/7?colour=red`}>
        An address
      </Link>
      <Link id="still" href={`${AT}/to-still`}>
        Still
      </Link>
      <Link id="winter" href={`${AT}/garden?winter=1`}>
        Garden in winter
      </Link>
      <Link id="old-wing" href={`${AT}/old-wing/about`}>
        Old wing
      </Link>
      <Link id="tickets" href={`${AT}/tickets`}>
        Tickets
      </Link>
      <Link id="prices" href={`${AT}/tickets/prices`}>
        Prices
      </Link>
      <State />
    </>
  )
}
