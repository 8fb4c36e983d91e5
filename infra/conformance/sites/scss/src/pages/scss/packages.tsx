import { name as hedge } from 'hedge'
import bush, * as inner from 'hedge/bush.module.scss'
import { name as meadow } from 'meadow'
import * as flowers from 'meadow/flower.module.scss'

export default function Packages() {
  return (
    <main>
      <p id="flower" className={flowers.flower}>
        {meadow}
      </p>
      <p id="bush" className={bush.bush}>
        {hedge}
      </p>
      <p id="berries" className={inner.berries}>
        A sheet in the sheet of the package.
      </p>
      <p id="thorns" className={bush.thorns}>
        A name of another module.
      </p>
    </main>
  )
}
