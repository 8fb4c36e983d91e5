// The widths and qualities of images. One list for portico.config.ts, which allows them, and for the lab, which offers
// them.

export const IMAGE_WIDTHS = [640, 750, 828, 1080, 1200, 1920, 2048, 3840] as const
export const IMAGE_QUALITIES = [50, 60, 75, 85, 95] as const

/** Width of the image that other sites show next to a link to a page. */
export const SHARED_IMAGE_WIDTH = 1200
