import { blue } from '../../../lib/client-navigation/blue'

export default function StyledApart() {
  return (
    <main>
      <p className={blue.className}>Blue</p>
      {blue.styles}
    </main>
  )
}
