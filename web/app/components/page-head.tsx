// Title and description of a page, as React's own head elements.

/** `title` is the page's own; the name of the atlas is appended unless `bare`. */
export function PageHead({ title, description, bare = false }: { title: string; description: string; bare?: boolean }) {
  const full = bare ? title : `${title} · Atlas`
  return (
    <>
      <title>{full}</title>
      <meta name="description" content={description} />
      <meta property="og:title" content={full} />
      <meta property="og:description" content={description} />
      <meta property="og:type" content="website" />
    </>
  )
}
