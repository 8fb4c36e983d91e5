// Shown for every path that no page has.

import { Link } from 'portico'

export default function NotFound() {
  return (
    <>
      <title>404: This page could not be found.</title>
      <meta name="robots" content="noindex" />
      <h1>Only mist here</h1>
      <p className="lede">This page could not be found.</p>
      <Link className="button" href="/">
        Back to the first page
      </Link>
    </>
  )
}
