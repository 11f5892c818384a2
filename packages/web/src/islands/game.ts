// The game page's island: the frame on a click, full screen, stop, and a viewer for screenshots.
import { openGallery } from './gallery.ts';
import { startPlayer } from './player.ts';

for (const player of document.querySelectorAll<HTMLElement>('[data-player]')) startPlayer(player);
for (const list of document.querySelectorAll<HTMLElement>('[data-gallery]')) openGallery(list);
