import { currentSeason } from '../../lib/season'

export default function Season() {
  return (
    <p id="season" suppressHydrationWarning>
      {currentSeason()}
    </p>
  )
}
