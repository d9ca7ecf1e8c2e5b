# Shows pictures one after another, each for the number of frames of 1/30 s given in the file `play`.
# usage: play_frames.py FOLDER PICTURE     PICTURE is the file that the camera shows; the folder's pictures are moved there
import os, sys, time
folder, picture = sys.argv[1:]
for line in open(folder + '/play'):
    name, count = line.split()
    os.replace(f'{folder}/{name}', picture)
    time.sleep(int(count) / 30)
