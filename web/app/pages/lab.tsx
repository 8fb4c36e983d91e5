// The lab: one plate in three formats. A GET form without JavaScript.

import type { GetServerSideProps, PageProps } from 'portico'
import { PageHead } from '../components/frame/page-head.tsx'
import { PageTitle } from '../components/frame/page-title.tsx'
import { Lab } from '../components/lab/lab.tsx'
import { listPlaces, toCard } from '../lib/places/places.ts'

export const getServerSideProps = (async () => ({
  props: {
    images: listPlaces()
      .map(toCard)
      .map(({ slug, name, image }) => ({ slug, name, src: image.src, placeholder: image.placeholder })),
  },
})) satisfies GetServerSideProps

export default function LabPage({ images }: PageProps<typeof getServerSideProps>) {
  return (
    <div className="wrap">
      <PageHead
        title="The lab"
        description="Ask the images service for any plate in AVIF, WebP and JPEG, and compare what arrives."
      />
      <PageTitle
        title="The lab"
        lede="Every picture in the atlas is one large file. Ask for it at another width and quality, and compare what arrives in each format."
      />
      <Lab images={images} />
    </div>
  )
}
