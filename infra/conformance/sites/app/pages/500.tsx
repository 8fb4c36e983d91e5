export default function Withered() {
  if (typeof window === 'undefined') console.log('the withered page is rendered')
  return <p id="withered">Withered</p>
}
