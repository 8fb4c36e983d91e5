// Its data function redirects by throwing.

import { redirect } from 'portico'

export const getServerSideProps = async () => redirect('/about')

export default function BrokenRedirect() {
  return <h1>Never shown</h1>
}
