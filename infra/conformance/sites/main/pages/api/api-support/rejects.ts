export default async function fail() {
  throw new Error('the drawer is stuck')
}
