extension LanguageData {
    /// The language for an English name, as used in directory names of old bundles: `Hungarian`, `TraditionalChinese`.
    ///
    /// `name`: in lower case, without blanks and accents.
    package static func code(ofName name: String) -> String? {
        name.utf8.first.flatMap(names(from:))?.value(of: name)
    }

    /// The names that begin with a letter, each with its language.
    ///
    /// There is one table for each letter, so that a name is compared with few others.
    ///
    /// Source: the English names of CLDR 46.0 (localeDisplayNames/languages of `en`), with its names of dialects
    /// (“Traditional Chinese”). Two groups are not from CLDR: `norwegian`, which means Bokmål, and these names, which
    /// CLDR has replaced: azeri, bengali, byelorussian, cambodian, castilian, faeroese, farsi, greenlandic, kirghiz,
    /// laotian, oriya, pushto, sami, singhalese, slovene, uighur. A name of three letters is never looked up here: it
    /// is a code.
    private static func names(from letter: UInt8) -> CodeTable? {
        switch letter {
        case UInt8(ascii: "a"):
            """
            abkhazian=ab acehnese=ace acoli=ach adangme=ada adyghe=ady afar=aa afrihili=afh afrikaans=af aghem=agq
            ainu=ain akan=ak akkadian=akk akoose=bss alabama=akz albanian=sq aleut=ale algerianarabic=arq
            amazigh=ber americanenglish=en-US americansignlanguage=ase amharic=am ancientegyptian=egy
            ancientgreek=grc angika=anp anii=blo aonaga=njo arabic=ar aragonese=an aramaic=arc araona=aro
            arapaho=arp arawak=arw armenian=hy aromanian=rup arpitan=frp assamese=as assyrian=syr asturian=ast
            asu=asa atikamekw=atj atsam=cch australianenglish=en-AU austriangerman=de-AT avaric=av avestan=ae
            awadhi=awa aymara=ay azerbaijani=az azeri=az
            """
        case UInt8(ascii: "b"):
            """
            badaga=bfq bafia=ksf bafut=bfd bakhtiari=bqi balinese=ban baluchi=bal bambara=bm bamun=bax bangla=bn
            banjar=bjn basaa=bas bashkir=ba basque=eu bataktoba=bbc bavarian=bar beja=bej belarusian=be bemba=bem
            bena=bez bengali=bn betawi=bew bhojpuri=bho bikol=bcl bini=bin bishnupriya=bpy bislama=bi blin=byn
            blissymbols=zbl bodo=brx bosnian=bs brahui=brh braj=bra brazilianportuguese=pt-BR breton=br
            britishenglish=en-GB buginese=bug bulgarian=bg bulu=bum buriat=bua burmese=my byelorussian=be
            """
        case UInt8(ascii: "c"):
            """
            caddo=cad cajunfrench=frc cambodian=km canadianenglish=en-CA canadianfrench=fr-CA cantonese=yue
            capiznon=cps carib=car carolinaalgonquian=crr castilian=es catalan=ca cayuga=cay cebuano=ceb
            centralatlastamazight=tzm centraldusun=dtp centralojibwa=ojc centralyupik=esu chadianarabic=shu
            chagatai=chg chakma=ccp chamorro=ch chechen=ce cherokee=chr cheyenne=chy chibcha=chb chickasaw=cic
            chiga=cgg chimborazohighlandquichua=qug chinese=zh chinookjargon=chn chipewyan=chp choctaw=cho
            churchslavic=cu chuukese=chk chuvash=cv classicalnewari=nwc classicalsyriac=syc colognian=ksh
            comorian=swb congoswahili=sw-CD coptic=cop cornish=kw corsican=co cree=cr crimeantatar=crh croatian=hr
            czech=cs
            """
        case UInt8(ascii: "d"):
            """
            dakota=dak danish=da dargwa=dar dari=fa-AF dazaga=dzg delaware=del dhivehi=dv dinka=dik dogri=doi
            dogrib=dgr duala=dua dutch=nl dyula=dyu dzongkha=dz
            """
        case UInt8(ascii: "e"):
            """
            easterncanadianinuktitut=iu easternfrisian=frs easternojibwa=oj efik=efi egyptianarabic=arz ekajuk=eka
            elamite=elx embu=ebu emilian=egl english=en erzya=myv esperanto=eo estonian=et europeanportuguese=pt-PT
            europeanspanish=es-ES ewe=ee ewondo=ewo extremaduran=ext
            """
        case UInt8(ascii: "f"):
            """
            faeroese=fo fang=fan fanti=ak faroese=fo farsi=fa fijian=fj fijihindi=hif filipino=fil finnish=fi
            flemish=nl-BE fon=fon frafra=gur french=fr friulian=fur fula=ff
            """
        case UInt8(ascii: "g"):
            """
            ga=gaa gagauz=gag galician=gl ganchinese=gan ganda=lg gayo=gay gbaya=gba geez=gez georgian=ka german=de
            ghegalbanian=aln ghomala=bbj gilaki=glk gilbertese=gil gondi=gno gorontalo=gor gothic=got grebo=gbo
            greek=el greenlandic=kl guarani=gn gujarati=gu gusii=guz gwichin=gwi
            """
        case UInt8(ascii: "h"):
            """
            haida=hai haitiancreole=ht hakkachinese=hak halkomelem=hur haryanvi=bgc hausa=ha hawaiian=haw hebrew=he
            herero=hz hiligaynon=hil hindi=hi hinglish=hi-Latn hirimotu=ho hittite=hit hmong=hmn hmongnjua=hnj
            hungarian=hu hupa=hup
            """
        case UInt8(ascii: "i"):
            """
            iban=blg ibibio=ibb icelandic=is ido=io igbo=ig iloko=ilo inarisami=smn indonesian=id ingrian=izh
            ingush=inh innuaimun=moe interlingua=ia interlingue=ie inuktitut=iu inupiaq=ik irish=ga italian=it
            """
        case UInt8(ascii: "j"):
            """
            jamaicancreoleenglish=jam japanese=ja javanese=jv jju=kaj jolafonyi=dyo judeoarabic=aju judeopersian=jpr
            jutish=jut
            """
        case UInt8(ascii: "k"):
            """
            kabardian=kbd kabuverdianu=kea kabyle=kab kachin=kac kaingang=kgp kako=kkj kalaallisut=kl kalenjin=kln
            kalmyk=xal kamba=kam kanembu=kbl kangri=xnr kannada=kn kanuri=kr karachaybalkar=krc karakalpak=kaa
            karelian=krl kashmiri=ks kashubian=csb kawi=kaw kazakh=kk kenyang=ken khasi=kha khmer=km khotanese=kho
            khowar=khw kiche=quc kikuyu=ki kildinsami=sjd kimbundu=kmb kinaraya=krj kinyarwanda=rw kirghiz=ky
            kirmanjki=kiu klingon=tlh kom=bkm komi=kv komipermyak=koi kongo=kg konkani=kok korean=ko koro=kfo
            kosraean=kos kotava=avk koyraborosenni=ses koyrachiini=khq kpelle=kpe krio=kri kuanyama=kj kumyk=kum
            kurdish=ku kurukh=kru kutenai=kut kuvi=kxv kwakwala=kwk kwasio=nmg kyrgyz=ky
            """
        case UInt8(ascii: "l"):
            """
            ladino=lad lakota=lkt lamba=lam langi=lag lao=lo laotian=lo latgalian=ltg latin=la
            latinamericanspanish=es-419 latvian=lv laz=lzz lezghian=lez liangshanyi=ii ligurian=lij lillooet=lil
            limburgish=li lingala=ln linguafrancanova=lfn literarychinese=lzh lithuanian=lt livonian=liv lojban=jbo
            lombard=lmo louisianacreole=lou lowersilesian=sli lowersorbian=dsb lowgerman=nds lowsaxon=nds-NL
            lozi=loz lubakatanga=lu lubalulua=lua luiseno=lui lulesami=smj lunda=lun luo=luo lushootseed=lut
            luxembourgish=lb luyia=luy
            """
        case UInt8(ascii: "m"):
            """
            maba=mde macedonian=mk machame=jmc madurese=mad mafa=maf magahi=mag maguindanaon=mdh mainfranconian=vmf
            maithili=mai makasar=mak makhuwa=vmw makhuwameetto=mgh makonde=kde malagasy=mg malay=ms malayalam=ml
            maltese=mt manchu=mnc mandaic=mid mandar=mdr mandingo=emk manipuri=mni manx=gv maori=mi mapuche=arn
            marathi=mr mari=chm marshallese=mh marwari=dhd masai=mas mazanderani=mzn medumba=byv mende=men
            mentawai=mwv meru=mer meta=mgo mexicanspanish=es-MX michif=crg middledutch=dum middleenglish=enm
            middlefrench=frm middlehighgerman=gmh middleirish=mga mikmaw=mic minangkabau=min mingrelian=xmf
            minnanchinese=nan mirandese=mwl mizo=lus modernstandardarabic=ar-001 mohawk=moh moksha=mdf
            moldavian=ro-MD mongo=lol mongolian=mn montenegrin=sr-ME moosecree=crm morisyen=mfe moroccanarabic=ary
            mossi=mos mundang=mua muslimtat=ttt mvskoke=mus myene=mye
            """
        case UInt8(ascii: "n"):
            """
            najdiarabic=ars nama=naq nauru=na navajo=nv ndonga=ng neapolitan=nap nepali=ne newari=new ngambay=sba
            ngiemboon=nnh ngomba=jgo nheengatu=yrl nias=nia nigerianpidgin=pcm niuean=niu nko=nqo nogai=nog
            northerneastcree=crl northernfrisian=frr northernhaida=hdn northernluri=lrc northernsotho=nso
            northerntutchone=ttm northndebele=nd northsami=se northstraitssalish=str northwesternojibwa=ojb
            norwegian=nb norwegianbokmal=nb norwegiannynorsk=nn novial=nov nsyilxcen=oka nuer=nus nyamwezi=nym
            nyanja=ny nyankole=nyn nyasatonga=tog nyoro=nyo nzima=nzi
            """
        case UInt8(ascii: "o"):
            """
            obolo=ann occitan=oc odia=or ojibwa=oj ojicree=ojs oldenglish=ang oldfrench=fro oldhighgerman=goh
            oldirish=sga oldnorse=non oldpersian=peo oldprovencal=pro oldturkish=otk olduighur=oui oriya=or oromo=om
            osage=osa ossetic=os ottomanturkish=ota
            """
        case UInt8(ascii: "p"):
            """
            pahlavi=pal palatinegerman=pfl palauan=pau pali=pi pampanga=pam pangasinan=pag papiamento=pap pashto=ps
            pennsylvaniagerman=pdc persian=fa phoenician=phn picard=pcd piedmontese=pms pijin=pis pitesami=sje
            plainscree=crk plautdietsch=pdt pohnpeian=pon polish=pl pontic=pnt portuguese=pt prussian=prg punjabi=pa
            pushto=ps
            """
        case UInt8(ascii: "q"):
            "quechua=qu"
        case UInt8(ascii: "r"):
            """
            rajasthani=raj rapanui=rap rarotongan=rar rejang=rej riffian=rif rohingya=rhg romagnol=rgn romanian=ro
            romansh=rm romany=rmy rombo=rof rotuman=rtm roviana=rug rundi=rn russian=ru rusyn=rue rwa=rwk
            """
        case UInt8(ascii: "s"):
            """
            saamia=lsm saho=ssy sakha=sah samaritanaramaic=sam samburu=saq sami=se samoan=sm samogitian=sgs
            sandawe=sad sango=sg sangu=sbp sanskrit=sa santali=sat sardinian=sc sasak=sas sassaresesardinian=sdc
            saterlandfrisian=stq saurashtra=saz scots=sco scottishgaelic=gd selayar=sly selkup=sel sena=seh
            seneca=see serbian=sr serbocroatian=sr-Latn serer=srr seri=sei seselwacreolefrench=crs shambala=ksb
            shan=shn shanghainese=wuu shona=sn sicilian=scn sidamo=sid siksika=bla silesian=szl
            simplifiedchinese=zh-Hans sindhi=sd singhalese=si sinhala=si skoltsami=sms slave=den slovak=sk
            slovene=sl slovenian=sl soga=xog sogdien=sog somali=so soninke=snk soranikurdish=ckb southernaltai=alt
            southerneastcree=crj southernhaida=hax southernkurdish=sdh southernlushootseed=slh southernsotho=st
            southerntutchone=tce southndebele=nr southsami=sma spanish=es sranantongo=srn
            standardmoroccantamazight=zgh sukuma=suk sumerian=sux sundanese=su susu=sus swahili=sw swampycree=csw
            swati=ss swedish=sv swissfrench=fr-CH swissgerman=gsw swisshighgerman=de-CH
            """
        case UInt8(ascii: "t"):
            """
            tachelhit=shi tagalog=fil tagish=tgx tahitian=ty tahltan=tht taidam=blt taita=dav tajik=tg talysh=tly
            tamashek=tmh tamil=ta taroko=trv tasawaq=twq tatar=tt telugu=te tereno=ter teso=teo tetum=tet thai=th
            tibetan=bo tigre=tig tigrinya=ti timne=tem tiv=tiv tlingit=tli tokelau=tkl tokipona=tok tokpisin=tpi
            tongan=to tornedalenfinnish=fit torwali=trw traditionalchinese=zh-Hant tsakhur=tkr tsakonian=tsd
            tsilhqotin=clc tsimshian=tsi tsonga=ts tswana=tn tulu=tcy tumbuka=tum tunisianarabic=aeb turkish=tr
            turkmen=tk turoyo=tru tuvalu=tvl tuvinian=tyv twi=ak tyap=kcg
            """
        case UInt8(ascii: "u"):
            """
            udmurt=udm ugaritic=uga uighur=ug ukrainian=uk umbundu=umb umesami=sju uppersorbian=hsb urdu=ur
            uyghur=ug uzbek=uz
            """
        case UInt8(ascii: "v"):
            "vai=vai venda=ve venetian=vec veps=vep vietnamese=vi volapuk=vo voro=vro votic=vot vunjo=vun"
        case UInt8(ascii: "w"):
            """
            walloon=wa walser=wae wancho=nnp waray=war warlpiri=wbp washo=was wayuu=guc welsh=cy westernapache=apw
            westernbalochi=bgn westerncanadianinuktitut=ikt westernfrisian=fy westernmari=mrj westernojibwa=ojw
            westernpanjabi=lah westflemish=vls wolastoqey=pqm wolaytta=wal wolof=wo woodscree=cr
            """
        case UInt8(ascii: "x"):
            "xhosa=xh xiangchinese=hsn"
        case UInt8(ascii: "y"):
            "yangben=yav yao=yao yapese=yap yemba=ybb yiddish=yi yoruba=yo"
        case UInt8(ascii: "z"):
            """
            zapotec=zai zarma=dje zaza=diq zeelandic=zea zenaga=zen zhuang=za zoroastriandari=gbz zulu=zu zuni=zun
            """
        default: nil
        }
    }
}
