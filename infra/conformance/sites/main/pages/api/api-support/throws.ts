export default function fail() {
  throw new Error('the drawer is stuck')
}
