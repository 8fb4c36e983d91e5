let season = 'none'

export const setSeason = (name: string) => {
  season = name
}
export const currentSeason = () => season
