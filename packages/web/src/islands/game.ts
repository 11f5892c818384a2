// The island of a game's page: the player and the screenshot viewer.
import { openGallery } from './gallery.ts';
import { startPlayer } from './player.ts';

for (const player of document.querySelectorAll<HTMLElement>('[data-player]')) startPlayer(player);
for (const list of document.querySelectorAll<HTMLElement>('[data-gallery]')) openGallery(list);
